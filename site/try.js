// "Try it": a form for one operation, which sends what it says to this server and shows what comes back. The key stays in this page.

let key = "";
let reading;

/** Puts the form of an operation in the place of its button. */
export async function openForm(button, address) {
  reading ??= fetch(address).then((answer) => answer.json());
  const operations = await reading.catch((error) => {
    reading = undefined;
    throw error;
  });
  const form = formOf(operations[button.dataset.try], button.dataset.try);
  button.closest("p").replaceWith(form);
  form.querySelector("input, textarea").focus();
}

function formOf(operation, name) {
  const form = make("form", { className: "send", noValidate: true, autocomplete: "off" });
  form.setAttribute("aria-label", name);
  const keyBox = make("input", { type: "password", value: key, placeholder: "rbk_…", autocomplete: "off" });
  keyBox.addEventListener("input", () => {
    key = keyBox.value;
  });
  add(form, `${name}-key`, "Key", keyBox);
  const fields = operation.parameters.map((parameter) => {
    const box = boxOf(parameter);
    const words = `${parameter.name}${parameter.required ? " *" : ""}`;
    add(form, `${name}-${parameter.name}`, words, box);
    return { ...parameter, box };
  });
  const body =
    operation.body === undefined ? undefined : make("textarea", { value: operation.body, spellcheck: false });
  if (body) add(form, `${name}-body`, "Body", body);
  const send = make("button", { type: "submit", textContent: `Send ${operation.method} ${operation.path}` });
  const shown = make("output", {});
  form.append(send, shown);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    try {
      shown.replaceChildren(...(await request(operation, fields, body?.value)));
    } catch {
      shown.replaceChildren(make("p", { textContent: "No answer came: the server could not be reached." }));
    } finally {
      send.disabled = false;
    }
  });
  return form;
}

function add(form, id, words, box) {
  box.id = `try-${id}`;
  form.append(make("label", { htmlFor: box.id, textContent: words }), box);
}

function boxOf({ values, example, description }) {
  if (!values) return make("input", { type: "text", value: example ?? "", title: description });
  const box = make("select", { title: description });
  box.append(
    ...["", ...values].map((value) =>
      make("option", { value, textContent: value, selected: value === example }),
    ),
  );
  return box;
}

async function request({ method, path, sends }, fields, body) {
  const search = new URLSearchParams();
  const headers = {
    ...(key && { authorization: `Bearer ${key.trim()}` }),
    ...(sends && { "content-type": sends }),
  };
  let address = path;
  for (const { name, in: place, box } of fields) {
    if (place === "path") address = address.replace(`{${name}}`, encodeURIComponent(box.value));
    else if (box.value === "") continue;
    else if (place === "query") search.set(name, box.value);
    else headers[name] = box.value;
  }
  const url = search.size > 0 ? `${address}?${search}` : address;
  const began = performance.now();
  const answer = await fetch(url, { method, headers, body, cache: "no-store", credentials: "omit" });
  const text = await answer.text();
  const lasted = Math.round(performance.now() - began);
  const lines = [...answer.headers].map(([header, value]) => `${header}: ${value}`).join("\n");
  return [
    make("p", { textContent: `${answer.status} ${answer.statusText} · ${lasted} ms` }),
    folded("Headers", lines),
    make("pre", { textContent: indented(text), tabIndex: 0 }),
  ];
}

function folded(words, text) {
  const details = make("details", {});
  details.append(make("summary", { textContent: words }), make("pre", { textContent: text, tabIndex: 0 }));
  return details;
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function make(tag, properties) {
  return Object.assign(document.createElement(tag), properties);
}
