// Elements of the page. User data are inserted as text, never as HTML.

function byId(id) {
  return document.getElementById(id);
}

// An element with attributes (functions become listeners) and children (strings become text).
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// An SVG element; null attributes are omitted.
function vector(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function button(text, onclick, attributes = {}) {
  return element("button", { type: "button", click: onclick, ...attributes }, text);
}

// Show a note and a hint on the use of the page; the hint is not printed.
function note(id, text, hint = "") {
  const place = byId(id);
  place.replaceChildren(text, ...(hint ? [element("span", { class: "hint" }, text ? ` ${hint}` : hint)] : []));
  place.hidden = !text && !hint;
}

// Page buttons of a long list.
function pageButtons(place, page, nPages, show) {
  place.replaceChildren();
  if (nPages < 2) return;
  place.append(
    button("Previous page", () => show(page - 1), { disabled: page === 0 }),
    element("span", {}, `Page ${page + 1} of ${nPages}`),
    button("Next page", () => show(page + 1), { disabled: page === nPages - 1 }),
  );
}
