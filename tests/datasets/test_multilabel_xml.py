"""MULAN's XML files of labels, and what is refused in them."""

import pytest

from moo_clustering.datasets import DataError
from moo_clustering.datasets.arff import labels_of_file, labels_of_xml


def names(text):
    return labels_of_xml(text if isinstance(text, bytes) else text.encode(), "labels.xml")


def test_labels_in_their_order_with_or_without_namespace():
    inner = '<label name="b"/>\n<label name="a"><label name="a/1"/></label><label name="c"></label>'
    assert names(f"<labels>{inner}</labels>") == ("b", "a", "a/1", "c")
    assert names(f'<labels xmlns="http://mulan.sourceforge.net/labels">{inner}</labels>') == (
        "b",
        "a",
        "a/1",
        "c",
    )
    assert names(f'<m:labels xmlns:m="urn:x">{inner}</m:labels>') == ("b", "a", "a/1", "c")


def test_characters_and_encodings():
    assert names('<labels><label name="a &amp; &quot;b&quot; &#233;"/></labels>') == ('a & "b" é',)
    latin = '<?xml version="1.0" encoding="iso-8859-1"?><labels><label name="diseño"/></labels>'
    assert names(latin.encode("latin-1")) == ("diseño",)
    assert names(b"\xef\xbb\xbf<labels><label name='a'/></labels>") == ("a",)


BILLION = (
    '<!DOCTYPE labels [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefgh", "bcdefghi", strict=True))
    + "]>"
)


@pytest.mark.parametrize(
    "declaration",
    [
        BILLION,
        "<!DOCTYPE labels>",
        '<!DOCTYPE labels SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE labels [<!ENTITY x SYSTEM "http://127.0.0.1/">]>',
        "<!DOCTYPE labels [<!ATTLIST label name CDATA 'x'>]>",
    ],
)
def test_document_types_and_entities_are_refused(declaration):
    with pytest.raises(
        DataError, match=r"labels\.xml, line 1: document types and entities are not supported"
    ):
        names(declaration + '<labels><label name="&i;"/></labels>')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("  \n", "is empty"),
        ("<labels></labels>", "lists no labels"),
        ("<labels><label/></labels>", "line 1: the label has no attribute 'name'"),
        (
            '<labels>\n<label name="a"/>\n<label name="a"/></labels>',
            "line 3: label 'a' is already listed in line 2",
        ),
        ('<labels><label name="a"/>', "line 1: invalid XML .*truncated"),
        ('<labels><label name="a"', "invalid XML"),
        ("class01\nclass02\n", "invalid XML"),
        ('<labels><tag name="a"/></labels>', "got 'tag'"),
        ('<labels><label name="a"/><labels/></labels>', "got 'labels'"),
        ('<labels><label name="&unknown;"/></labels>', "invalid XML"),
        (
            '<?xml version="1.0" encoding="no-such"?><labels><label name="a"/></labels>',
            "invalid XML",
        ),
        (
            '<?xml version="1.0" encoding="utf-16"?><labels><label name="a"/></labels>',
            "invalid XML",
        ),
        (b"<labels><label name='\xff'/></labels>", "invalid XML"),
        (b"\x00" * 100, "invalid XML"),
    ],
)
def test_bad_files(text, message):
    with pytest.raises(DataError, match=message):
        names(text)


def test_deep_nesting():
    depth = 50_000
    text = (
        "<labels>"
        + "".join(f'<label name="{each}">' for each in range(depth))
        + "</label>" * depth
        + "</labels>"
    )
    assert len(names(text)) == depth


def test_too_large_and_missing_files(tmp_path, monkeypatch):
    path = tmp_path / "labels.xml"
    with pytest.raises(DataError, match=r"file .* does not exist"):
        labels_of_file(path)
    monkeypatch.setattr("moo_clustering.datasets.arff._LARGEST", 100)
    path.write_text("<labels>" + " " * 100)
    with pytest.raises(DataError, match="the limit for a list of labels"):
        labels_of_file(path)
