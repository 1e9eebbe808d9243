// What the visitor sees, whether or not scripts run: every state of the form is a page of its own.

/**
 * The fields of the form. `member` is what the place of a fault begins with: `body.idDocument.value` is the
 * CPF's, `body.locationIds[0]` the location's.
 */
export const FIELDS = [
  {
    name: "contactName",
    member: "body.contactName",
    label: "Full name",
    autocomplete: "name",
    required: true,
  },
  {
    name: "contactEmail",
    member: "body.contactEmail",
    label: "E-mail",
    type: "email",
    autocomplete: "email",
    optional: true,
  },
  {
    name: "contactPhone",
    member: "body.contactPhone",
    label: "Phone",
    type: "tel",
    autocomplete: "tel",
    optional: true,
  },
  {
    name: "cpf",
    member: "body.idDocument",
    label: "CPF",
    hint: "Eleven digits. Leave it empty if you have none.",
    inputmode: "numeric",
    placeholder: "000.000.000-00",
    autocomplete: "off",
    optional: true,
  },
  {
    name: "birthdate",
    member: "body.birthdate",
    label: "Date of birth",
    type: "date",
    autocomplete: "bday",
    optional: true,
  },
  { name: "location", member: "body.locationIds", label: "Where would you like to train?" },
  { name: "notes", member: "body.notes", label: "Anything we should know?", optional: true },
];

/** The form: empty, or with what was sent, the fault of each field, and a notice about the whole. */
export function formPage(studio, { values = {}, faults = {}, notice } = {}) {
  const faulty = FIELDS.filter(({ name }) => faults[name] !== undefined);
  const text = FIELDS.filter(({ name }) => name !== "location" && name !== "notes");
  const notes = FIELDS.find(({ name }) => name === "notes");
  return layout(
    studio,
    faulty.length > 0 || notice ? "Please check the form" : "Sign up",
    html`
      <h1>Join ${studio.name}</h1>
      <p class="lead">Tell us who you are. It takes a minute.</p>
      ${faulty.length > 0 || notice ? summary(studio, faulty, faults, notice) : ""}
      <form method="post" action="/" data-signup>
        ${text.map((field) => textField(field, values[field.name], faults[field.name]))}
        ${locationField(studio, values.location, faults.location)}
        ${textField({ ...notes, rows: 3 }, values.notes, faults.notes)}
        <p class="actions">
          <button type="submit" data-busy="Sending…">Sign up</button>
          <span class="status" role="status"></span>
        </p>
        <p class="small">We keep these details to run your membership, and pass them on to nobody.</p>
      </form>`,
  );
}

export function welcomePage(studio) {
  return layout(
    studio,
    "Welcome",
    html`
      <div class="success" tabindex="-1" data-focus>
        <svg viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="22" /><path d="M14 25l7 7 14-15" /></svg>
        <h1>Welcome to ${studio.name}!</h1>
        <p class="lead">You are signed up. Come by whenever we are open: we will be expecting you.</p>
      </div>`,
  );
}

export function messagePage({ title, text }) {
  return layout(
    { name: "", locations: [] },
    title,
    html`<h1>${title}</h1>
      <p class="lead">${text}</p>
      <p><a href="/">Back to the form</a></p>`,
  );
}

function layout(studio, title, content) {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}${studio.name && ` · ${studio.name}`}</title>
    <link rel="stylesheet" href="/signup.css">
    <link rel="icon" href="data:,">
    <script type="module" src="/signup.js"></script>
  </head>
  <body>
    <header class="brand">
      <p class="name">${studio.name}</p>
      ${studio.locations.length > 0 ? whereWeAre(studio) : ""}
    </header>
    <main>${content}
    </main>
  </body>
</html>
`.text;
}

function whereWeAre({ locations }) {
  return html`<section class="places" aria-label="Where we are">
        <h2>Where we are</h2>
        <ul>${locations.map(
          ({ name, address }) => html`
          <li><strong>${name}</strong>${address ? html`<br>${address}` : ""}</li>`,
        )}
        </ul>
      </section>`;
}

/** All that is wrong, at the top, with a link to each field: it is read out first, and it takes the focus. */
function summary(studio, faulty, faults, notice) {
  const target = (name) => (name === "location" ? `location-${studio.locations[0]?.id}` : name);
  return html`<div class="summary" role="alert" tabindex="-1" data-focus>
        <h2>${faulty.length > 0 ? "Please check these answers" : "That did not work"}</h2>
        ${notice ? html`<p>${notice}</p>` : ""}
        ${
          faulty.length > 0
            ? html`<ul>${faulty.map(
                (field) => html`
          <li><a href="#${target(field.name)}">${sentence(field, faults[field.name])}</a></li>`,
              )}
        </ul>`
            : ""
        }
      </div>`;
}

function textField(field, value = "", fault = undefined) {
  const { name, label, hint, optional, rows } = field;
  const described = [hint && `${name}-hint`, fault && `${name}-fault`].filter(Boolean).join(" ");
  const state = html`${described ? html` aria-describedby="${described}"` : ""}${fault ? html` aria-invalid="true"` : ""}`;
  const own = ["type", "autocomplete", "inputmode", "placeholder"]
    .filter((attribute) => field[attribute])
    .map((attribute) => html` ${attribute}="${field[attribute]}"`);
  return html`
        <div class="field${fault ? " faulty" : ""}">
          <label for="${name}">${label}${optional ? html` <span class="optional">(optional)</span>` : ""}</label>
          ${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : ""}
          ${fault ? faultText(field, fault) : ""}
          ${
            rows
              ? html`<textarea id="${name}" name="${name}" rows="${rows}"${state}>${value}</textarea>`
              : html`<input id="${name}" name="${name}" value="${value}"${own}${field.required ? html` required` : ""}${state}>`
          }
        </div>`;
}

function locationField({ locations }, value, fault) {
  const field = FIELDS.find(({ name }) => name === "location");
  const [only] = locations;
  if (locations.length === 1) return html`<input type="hidden" name="location" value="${only.id}">`;
  return html`
        <fieldset class="field${fault ? " faulty" : ""}"${fault ? html` aria-describedby="location-fault"` : ""}>
          <legend>${field.label}</legend>
          ${fault ? faultText(field, fault) : ""}
          <div class="choices">${locations.map(
            ({ id, name, address }) => html`
            <label class="choice">
              <input type="radio" id="location-${id}" name="location" value="${id}"${id === value ? html` checked` : ""} required>
              <span><strong>${name}</strong>${address ? html`<small>${address}</small>` : ""}</span>
            </label>`,
          )}
          </div>
        </fieldset>`;
}

function faultText(field, fault) {
  return html`<p class="fault" id="${field.name}-fault">${sentence(field, fault)}</p>`;
}

/** Rollbook's messages go on after the name of the value: "E-mail" + "must be an e-mail address". */
function sentence({ name, label }, message) {
  return name === "location" ? "Choose one of our locations." : `${label} ${message}.`;
}

/** Markup whose values are escaped; lists are joined, and what is markup already stays. */
function html(strings, ...values) {
  const parts = strings.map((string, index) => string + (index < values.length ? markup(values[index]) : ""));
  return { text: parts.join("") };
}

function markup(value) {
  if (Array.isArray(value)) return value.map(markup).join("");
  if (typeof value === "object" && value !== null) return value.text;
  return String(value ?? "").replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
