/**
 * The week of a timetable, from a calendar link: <rollbook-timetable src="https://…/ics/rbc_….json"></rollbook-timetable>
 * Times are the location's, words the visitor's.
 */

const WORDS = {
  en: {
    week: "Timetable",
    earlier: "Earlier",
    later: "Later",
    none: "No classes in these days.",
    cancelled: "Cancelled",
    full: "Full",
    left: (n) => (n === 1 ? "1 place left" : `${n} places left`),
    failed: "The timetable could not be loaded.",
    zone: (name) => `Times in ${name}`,
  },
  pt: {
    week: "Grade de horários",
    earlier: "Anteriores",
    later: "Seguintes",
    none: "Nenhuma aula nestes dias.",
    cancelled: "Cancelada",
    full: "Lotada",
    left: (n) => (n === 1 ? "1 vaga" : `${n} vagas`),
    failed: "Não foi possível carregar a grade.",
    zone: (name) => `Horários de ${name}`,
  },
  es: {
    week: "Horario",
    earlier: "Anteriores",
    later: "Siguientes",
    none: "No hay clases en estos días.",
    cancelled: "Cancelada",
    full: "Completa",
    left: (n) => (n === 1 ? "1 plaza" : `${n} plazas`),
    failed: "No se pudo cargar el horario.",
    zone: (name) => `Horas de ${name}`,
  },
};
const DAYS = 7;

const STYLE = `
:host { display: block; font: inherit; color: inherit; }
nav { display: flex; gap: .5rem; justify-content: space-between; margin-bottom: 1rem; }
button { font: inherit; min-height: 2.5rem; padding: 0 1rem; color: inherit; background: none;
  border: 1px solid; border-radius: .5rem; cursor: pointer; }
button:disabled { opacity: .4; cursor: default; }
.days { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 9.5rem), 1fr)); }
h3 { margin: 0; font-size: 1rem; }
ul { margin: 0; padding: 0; list-style: none; }
li { padding: .5rem 0; border-top: 1px solid; overflow-wrap: anywhere; }
li.cancelled b, li.cancelled time { text-decoration: line-through; }
b, small { display: block; }
`;

class Timetable extends HTMLElement {
  #from = 0;
  #sessions = [];

  async connectedCallback() {
    const root = this.attachShadow({ mode: "open" });
    const language = navigator.languages.find((tag) => WORDS[tag.slice(0, 2)]) ?? "en";
    this.lang = language;
    const words = WORDS[language.slice(0, 2)];
    try {
      const answer = await fetch(this.getAttribute("src"));
      if (!answer.ok) throw new Error(String(answer.status));
      this.#sessions = (await answer.json()).data;
      this.#show(root, words, language);
    } catch {
      root.replaceChildren(make("p", words.failed, { role: "alert" }));
    }
  }

  #show(root, words, language) {
    const zones = new Set(this.#sessions.map(({ timezone }) => timezone));
    const [timezone] = zones;
    // Swedish dates are ISO dates.
    const today = new Intl.DateTimeFormat("sv", { timeZone: timezone }).format();
    const days = Array.from({ length: DAYS }, (_, i) => dayAfter(today, this.#from + i));
    const last = this.#sessions.at(-1)?.localStart.slice(0, 10) ?? today;
    const step = (by) => {
      this.#from += by;
      this.#show(root, words, language);
      root.querySelector("nav").focus();
    };
    const nav = make("nav", "", { "aria-label": words.week, tabindex: "-1" });
    nav.append(
      button(words.earlier, this.#from > 0, () => step(-DAYS)),
      button(words.later, dayAfter(days[0], DAYS) <= last, () => step(DAYS)),
    );
    const shown = make("div", "", { class: "days" });
    const severalPlaces = new Set(this.#sessions.map(({ locationName }) => locationName)).size > 1;
    for (const day of days) {
      const ofDay = this.#sessions.filter(({ localStart }) => localStart.startsWith(day));
      if (ofDay.length === 0) continue;
      const part = make("section", "");
      const list = make("ul", "");
      list.append(...ofDay.map((session) => line(session, words, language, severalPlaces)));
      part.append(
        make("h3", dateText(language, day, { weekday: "long", day: "numeric", month: "long" })),
        list,
      );
      shown.append(part);
    }
    const isElsewhere = timezone && timezone !== Intl.DateTimeFormat().resolvedOptions().timeZone;
    root.replaceChildren(
      make("style", STYLE),
      nav,
      shown.childElementCount > 0 ? shown : make("p", words.none),
      ...(isElsewhere ? [make("small", words.zone([...zones].join(", ").replaceAll("_", " ")))] : []),
    );
  }
}

function line(
  { serviceTypeName, locationName, localStart, localEnd, status, ...seats },
  words,
  language,
  showsPlace,
) {
  const isCancelled = status === "cancelled";
  const clock = (local) => dateText(language, local.replace(" ", "T"), { timeStyle: "short" });
  const item = make("li", "", isCancelled ? { class: "cancelled" } : {});
  item.append(make("time", `${clock(localStart)} – ${clock(localEnd)}`), make("b", serviceTypeName));
  const left = seats.capacity - seats.bookedCount;
  const notes = [
    showsPlace && locationName,
    isCancelled
      ? words.cancelled
      : seats.capacity !== undefined && (left > 0 ? words.left(left) : words.full),
  ].filter(Boolean);
  if (notes.length > 0) item.append(make("small", notes.join(" · ")));
  return item;
}

function dateText(language, local, form) {
  const instant = new Date(local.length > 10 ? `${local}Z` : `${local}T00:00Z`);
  return new Intl.DateTimeFormat(language, { ...form, timeZone: "UTC" }).format(instant);
}

function dayAfter(day, days) {
  return new Date(Date.parse(day) + days * 864e5).toISOString().slice(0, 10);
}

function make(name, text, attributes = {}) {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function button(text, isEnabled, onClick) {
  const element = make("button", text, { type: "button" });
  element.disabled = !isEnabled;
  element.addEventListener("click", onClick);
  return element;
}

customElements.define("rollbook-timetable", Timetable);
