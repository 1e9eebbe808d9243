import "./figures.css";

/** A few numbers, large, each under its name. */
export function Figures({
  label,
  figures,
}: {
  readonly label: string;
  readonly figures: readonly {
    readonly name: string;
    readonly value: string;
    readonly note?: string | undefined;
    readonly isMain?: boolean;
  }[];
}) {
  return (
    <section class="card" aria-label={label}>
      <dl class="figures">
        {figures.map(({ name, value, note, isMain }) => (
          <div key={name} class={isMain ? "figure figure-main" : "figure"}>
            <dt>{name}</dt>
            <dd>
              {value}
              {note && <span class="figure-note">{note}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
