// An addition to the form, which works without it: the CPF gets its punctuation while it is typed, and the form
// is sent without leaving the page.

document.addEventListener("input", (event) => {
  if (event.target.name === "cpf") maskCpf(event.target);
});

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-signup]")) return;
  event.preventDefault();
  const button = form.querySelector("button");
  if (button.disabled) return;
  const label = button.textContent;
  const status = form.querySelector("[role=status]");
  button.disabled = true;
  button.textContent = button.dataset.busy;
  status.textContent = "";
  try {
    const response = await fetch(form.action, {
      method: "POST",
      body: new URLSearchParams(new FormData(form)),
    });
    show(new DOMParser().parseFromString(await response.text(), "text/html"));
  } catch {
    status.textContent = "No connection. What you typed is still here; please try again.";
    button.disabled = false;
    button.textContent = label;
  }
});

/** Takes the content of the page that the server answered with, and puts the focus where its news is. */
function show(answer) {
  document.title = answer.title;
  document.querySelector("main").replaceWith(document.adoptNode(answer.querySelector("main")));
  prepare();
  const news = document.querySelector("[data-focus]");
  news?.focus({ preventScroll: true });
  news?.scrollIntoView({ block: "start" });
}

/** 52998224725 becomes 529.982.247-25; the cursor stays after the digit it was behind. */
function maskCpf(input) {
  const before = input.value.slice(0, input.selectionStart ?? input.value.length);
  const digitsBefore = before.replace(/\D/g, "").length;
  const digits = input.value.replace(/\D/g, "").slice(0, 11);
  const masked = digits
    .replace(/^(\d{3})(\d)/, "$1.$2")
    .replace(/^(\d{3})\.(\d{3})(\d)/, "$1.$2.$3")
    .replace(/^(\d{3})\.(\d{3})\.(\d{3})(\d)/, "$1.$2.$3-$4");
  if (masked === input.value) return;
  input.value = masked;
  let cursor = 0;
  for (let seen = 0; cursor < masked.length && seen < digitsBefore; cursor++) {
    if (/\d/.test(masked[cursor])) seen++;
  }
  input.setSelectionRange(cursor, cursor);
}

function prepare() {
  for (const form of document.querySelectorAll("[data-signup]")) {
    // The server's word on every field at once, beside the field, instead of the browser's on the first.
    form.noValidate = true;
    maskCpf(form.elements.cpf);
  }
}

prepare();
