import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { dictionary } from "../languages/words.ts";

const words = dictionary(
  { none: "Nothing found", found: (number: number) => `${number} found` },
  { none: "Nada encontrado", found: (number: number) => `${number} encontrados` },
  { none: "Nada encontrado", found: (number: number) => `${number} encontrados` },
);

interface ComboboxProps<Option> {
  readonly label: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly options: readonly Option[];
  readonly keyOf: (option: Option) => string;
  readonly show: (option: Option) => ComponentChildren;
  readonly onChoose: (option: Option) => void;
  readonly placeholder?: string;
  readonly hasFocus?: boolean;
  readonly isLabelHidden?: boolean;
  readonly fault?: string | undefined;
  /** Whether there is something to say about an empty list yet. */
  readonly isReady?: boolean;
  /** Whether it offers something before anything is typed. */
  readonly opensEmpty?: boolean;
}

/** A field that offers what fits the text, as the ARIA pattern has it: arrows move, Enter takes, Escape closes. */
export function Combobox<Option>({
  label,
  text,
  onText,
  options,
  keyOf,
  show,
  onChoose,
  placeholder,
  hasFocus,
  isLabelHidden,
  fault,
  isReady = true,
  opensEmpty = false,
}: ComboboxProps<Option>) {
  const t = words();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [activeKey, setActiveKey] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  // By its key: an answer that comes late, or what somebody else does, must not put another option under the Enter key.
  const active = Math.max(
    options.findIndex((option) => keyOf(option) === activeKey),
    0,
  );
  const setActive = (place: number) => {
    const option = options[place];
    setActiveKey(option && keyOf(option));
  };
  useLayoutEffect(() => {
    if (hasFocus) input.current?.focus();
  }, [hasFocus]);
  const isListOpen = isOpen && (opensEmpty || text !== "") && (options.length > 0 || isReady);
  const take = (option: Option | undefined) => {
    if (option === undefined) return;
    setOpen(false);
    setActiveKey(undefined);
    onChoose(option);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && isListOpen && text !== "") {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    } else if (event.key === "Enter" && isListOpen && options.length > 0) {
      event.preventDefault();
      take(options[active]);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (options.length > 0) setActive((active + step + options.length) % options.length);
    }
  };
  return (
    <div class={fault ? "field combobox field-faulty" : "field combobox"}>
      <label for={id} class={isLabelHidden ? "for-readers" : undefined}>
        {label}
      </label>
      <input
        id={id}
        ref={input}
        class="input"
        role="combobox"
        aria-expanded={isListOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isListOpen && options.length > 0 ? `${id}-${active}` : undefined}
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault ? `${id}-fault` : undefined}
        autocomplete="off"
        autofocus={hasFocus}
        spellcheck={false}
        placeholder={placeholder}
        value={text}
        onInput={(event) => {
          setOpen(true);
          // Another text begins at its first option.
          setActiveKey(undefined);
          onText(event.currentTarget.value);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label={label} class="combobox-list" hidden={!isListOpen}>
        {options.map((option, place) => (
          <div
            key={keyOf(option)}
            id={`${id}-${place}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === active}
            class="combobox-option"
            onMouseDown={(event) => {
              event.preventDefault();
              take(option);
            }}
            onMouseMove={() => setActive(place)}
          >
            {show(option)}
          </div>
        ))}
      </div>
      {isListOpen && options.length === 0 && !fault && <p class="combobox-none">{t.none}</p>}
      <span class="for-readers" role="status">
        {isListOpen ? t.found(options.length) : ""}
      </span>
      {fault && (
        <p class="field-fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}
