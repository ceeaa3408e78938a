# An image with the command: docker build -t moo-clustering . && docker run --rm moo-clustering
FROM python:3.13-slim
COPY . /source
RUN pip install --no-cache-dir /source && rm -r /source && useradd --create-home --uid 1000 user
USER 1000
WORKDIR /home/user
# Kernels are compiled once, into the image.
RUN moo-clustering warm-up
ENTRYPOINT ["moo-clustering"]
CMD ["demo"]
