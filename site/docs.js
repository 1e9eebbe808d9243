// What a page of the documentation does beyond being read: search, one language of examples for all, and "Try it".
(() => {
  const own = document.currentScript.dataset;

  /** The language of examples that somebody has chosen is shown in all groups that have it, on all pages. */
  const LANGUAGE = "docs-language";
  const showLanguage = (name) => {
    for (const choice of document.querySelectorAll(`.tabs > input[value="${CSS.escape(name)}"]`))
      choice.checked = true;
  };
  const remembered = () => {
    try {
      return localStorage.getItem(LANGUAGE);
    } catch {
      return null;
    }
  };
  document.addEventListener("change", ({ target }) => {
    if (!target.matches(".tabs > input")) return;
    const top = target.parentElement.getBoundingClientRect().top;
    showLanguage(target.value);
    scrollBy(0, target.parentElement.getBoundingClientRect().top - top);
    try {
      localStorage.setItem(LANGUAGE, target.value);
    } catch {
      // It is not remembered, then.
    }
  });
  const language = remembered();
  if (language) showLanguage(language);

  for (const button of document.querySelectorAll("[data-try]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        const { openForm } = await import(own.try);
        await openForm(button, own.operations);
      } catch {
        // The next press tries again.
        button.disabled = false;
      }
    });
  }

  const box = document.querySelector("[type=search]");
  const list = document.createElement("div");
  list.className = "found";
  list.hidden = true;
  list.setAttribute("role", "region");
  list.setAttribute("aria-label", "Found");
  list.setAttribute("aria-live", "polite");
  box.after(list);

  const fold = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  let reading;
  const readIndex = () => {
    reading ??= fetch(own.search)
      .then((answer) => answer.json())
      .then(({ pages, sections }) =>
        sections.map(([page, anchor, heading, text]) => ({
          ...pages[page],
          anchor,
          heading,
          text,
          folded: fold(text),
          head: fold(`${pages[page].title} ${heading}`),
        })),
      )
      .catch((error) => {
        reading = undefined;
        throw error;
      });
    return reading;
  };

  /** Every word must be there; words of headings count more, and whole words more than beginnings. */
  const scoreOf = (section, words) => {
    let score = section.isAside ? -6 : 0;
    for (const word of words) {
      const inHead = section.head.indexOf(word);
      const inText = section.folded.indexOf(word);
      if (inHead < 0 && inText < 0) return 0;
      if (inHead >= 0) score += 20 + (isWhole(section.head, inHead, word) ? 10 : 0);
      if (inText >= 0) score += 4 + (isWhole(section.folded, inText, word) ? 3 : 0);
    }
    return Math.max(score, 1);
  };
  const isWhole = (text, at, word) =>
    !/[\p{L}\p{N}]/u.test(`${text[at - 1] ?? " "}${text[at + word.length] ?? " "}`);

  const search = async () => {
    const asked = box.value;
    const words = fold(asked).split(/\s+/).filter(Boolean);
    if (words.length === 0) {
      list.hidden = true;
      return;
    }
    let found;
    try {
      const sections = await readIndex();
      found = sections
        .map((section) => ({ section, score: scoreOf(section, words) }))
        .filter(({ score }) => score > 0)
        .sort((one, other) => other.score - one.score)
        .slice(0, 12);
    } catch {
      found = undefined;
    }
    // Meanwhile something else may have been typed.
    if (box.value !== asked) return;
    list.replaceChildren(
      ...(found?.length ? found.map(({ section }) => entry(section, words)) : [nothing(found)]),
    );
    list.hidden = false;
  };

  const entry = ({ title, address, anchor, heading, text, folded }, words) => {
    const link = document.createElement("a");
    link.href = anchor ? `${address}#${anchor}` : address;
    const head = document.createElement("strong");
    head.textContent = heading === title ? title : `${title}: ${heading}`;
    const at = Math.max(
      0,
      Math.min(...words.map((word) => folded.indexOf(word)).filter((place) => place >= 0), 1e9) - 30,
    );
    const excerpt = document.createElement("span");
    excerpt.textContent = text.slice(at > text.length ? 0 : at).slice(0, 160);
    link.append(head, excerpt);
    return link;
  };

  const nothing = (found) => {
    const words = document.createElement("p");
    words.textContent = found ? "Nothing found." : "The search could not be loaded.";
    return words;
  };

  box.addEventListener("focus", () => readIndex().catch(() => {}));
  box.addEventListener("input", search);
  box.form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  box.form.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !list.hidden) {
      event.preventDefault();
      const next = links.indexOf(document.activeElement) + step;
      (links[next] ?? box).focus();
    } else if (event.key === "Escape") {
      list.hidden = true;
      box.focus();
    }
  });
  document.addEventListener("click", ({ target }) => {
    if (!box.form.contains(target) || target.closest(".found a")) list.hidden = true;
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(?:INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.focus();
  });
  // Without a script the box leads to the list of all headings; with one, what was asked there is searched.
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) {
    box.value = asked;
    search();
  }
})();
