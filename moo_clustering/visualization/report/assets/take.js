// Files of the run, the table of clusters, commands and code.

async function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Without permission, for example in frames, the older method below is used.
    }
  }
  const field = element("textarea", { readonly: true, class: "off-page" });
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

function copyButton(text) {
  const copy = button("Copy", async () => {
    copy.textContent = (await copyText(text)) ? "Copied" : "Select the text to copy it";
    copy.focus();
  }, { class: "copy", "aria-label": `Copy ${shortened(text, 60)}`, "aria-live": "polite" });
  return copy;
}

// Links to files work only if the page is opened from their folder.
function fileLink(name) {
  return location.protocol === "file:" ? element("a", { href: encodeURI(name) }, name) : element("code", {}, name);
}

const FILES = { "clustered.csv": "rows with their clusters", "labels.csv": "cluster numbers of the rows", "clusters.csv": "sizes and names of the clusters" };

function showTake() {
  if (!data.lines.length && !data.files.length) return;
  byId("take").hidden = false;
  byId("take-labels").addEventListener("click", downloadLabels);
  byId("take-print").addEventListener("click", () => window.print());
  byId("take-files").hidden = !data.files.length;
  byId("take-files").append("Files in the folder of the run: ",
    ...data.files.flatMap((name, i) => [i ? ", " : "", fileLink(name), ` (${FILES[name] ?? "results"})`]), ".");
  byId("take-lines").append(...data.lines.map(([title, code]) =>
    element("div", { class: code.includes("\n") ? "line code" : "line" },
      element("div", { class: "card-head" }, element("h3", {}, title), copyButton(code)),
      element("pre", { tabindex: 0 }, element("code", {}, code)))));
}
