// Sets the theme before the page is shown: the preference of the system, until the theme button is pressed.

(() => {
  "use strict";
  const [root, prefersDark] = [document.documentElement, matchMedia("(prefers-color-scheme: dark)")];
  const set = (isDark) => {
    root.dataset.theme = isDark ? "dark" : "light";
    document.getElementById("dark")?.setAttribute("aria-pressed", String(isDark));
  };
  const follow = () => set(prefersDark.matches);
  follow();
  prefersDark.addEventListener("change", follow);
  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("dark").addEventListener("click", () => {
      prefersDark.removeEventListener("change", follow);
      set(root.dataset.theme === "light");
    });
    set(root.dataset.theme === "dark");
  });
})();
