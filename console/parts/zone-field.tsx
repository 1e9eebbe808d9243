import { useState } from "preact/hooks";
import { localIn, timeOf } from "../languages/format.ts";
import { dictionary } from "../languages/words.ts";
import { Combobox } from "./combobox.tsx";

const words = dictionary(
  { placeholder: "A city, such as São Paulo" },
  { placeholder: "Uma cidade, como São Paulo" },
  { placeholder: "Una ciudad, como São Paulo" },
);

const MOST_SHOWN = 8;

/** A time zone by its city; each is offered with the time it is there now. */
export function ZoneField({
  label,
  value,
  onChoose,
  fault,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (zone: string) => void;
  readonly fault?: string | undefined;
}) {
  const t = words();
  const [text, setText] = useState<string>();
  const wanted = folded(text ?? "");
  const isSearching = text !== undefined && wanted !== "";
  const found = isSearching
    ? Intl.supportedValuesOf("timeZone").filter((zone) => folded(zone).includes(wanted))
    : [];
  return (
    <Combobox
      label={label}
      text={text ?? cityOf(value)}
      placeholder={t.placeholder}
      fault={fault}
      isReady={isSearching}
      onText={(typed) => {
        setText(typed);
        // What was typed in full counts without being chosen from the list.
        const exact = Intl.supportedValuesOf("timeZone").find((zone) => folded(zone) === folded(typed));
        onChoose(exact ?? (typed.trim() === "" ? "" : value));
      }}
      options={found.slice(0, MOST_SHOWN)}
      keyOf={(zone) => zone}
      show={(zone) => (
        <>
          <span>{cityOf(zone)}</span> <small>{timeOf(localIn(Date.now(), zone))}</small>
        </>
      )}
      onChoose={(zone) => {
        setText(undefined);
        onChoose(zone);
      }}
    />
  );
}

/** `America/Sao_Paulo` as people read it. */
export function cityOf(zone: string): string {
  return zone.replaceAll("_", " ");
}

function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("_", " ").trim().toLowerCase();
}
