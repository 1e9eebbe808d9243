import type { Schemas } from "../../api/operations.ts";
import { useRead } from "../../api/reads.ts";
import { useMe } from "../../frame/me.ts";
import { count, fullDate, localIn, timeOf } from "../../languages/format.ts";
import { isolate } from "../../languages/given-text.ts";
import { dictionary } from "../../languages/words.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Shown } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { namesIn, scopeInWords } from "../../plan-words/plan-words.ts";
import type { ListedContract } from "./records.ts";

type Line = Schemas["CreditLine"];

const words = dictionary(
  {
    title: (plan: string) => `Credits of “${plan}”`,
    explained: "Every credit, the latest first: what it was for, who did it, and what was left.",
    when: "When",
    what: "What",
    change: "Credits",
    left: "Left",
    granted: "Granted with the sale",
    brought: "Brought in with the import",
    used: (session: string) => `Used: ${session}`,
    returned: (session: string) => `Given back: ${session}`,
    kept: (session: string) => `Not given back: ${session}`,
    adjusted: "Adjusted",
    inTime: "cancelled without loss",
    late: "cancelled late",
    byStudio: "the class did not take place",
    released: "the contract no longer covered it",
    uncovered: "covered later",
    fromLine: "from the waiting list",
    by: (name: string) => `by ${name}`,
    import: "an import",
    operator: "the operator",
    first: (shown: string, total: string) => `The latest ${shown} of ${total}.`,
  },
  {
    title: (plan: string) => `Créditos de “${plan}”`,
    explained: "Cada crédito, do mais recente ao mais antigo: para que foi, quem fez e quanto restou.",
    when: "Quando",
    what: "O quê",
    change: "Créditos",
    left: "Saldo",
    granted: "Concedidos na venda",
    brought: "Vieram com a importação",
    used: (session: string) => `Usado: ${session}`,
    returned: (session: string) => `Devolvido: ${session}`,
    kept: (session: string) => `Não devolvido: ${session}`,
    adjusted: "Ajuste",
    inTime: "cancelado sem perda",
    late: "cancelado fora do prazo",
    byStudio: "a aula não aconteceu",
    released: "o contrato deixou de cobrir",
    uncovered: "coberto depois",
    fromLine: "da lista de espera",
    by: (name: string) => `por ${name}`,
    import: "uma importação",
    operator: "operador",
    first: (shown: string, total: string) => `Os ${shown} mais recentes de ${total}.`,
  },
  {
    title: (plan: string) => `Créditos de «${plan}»`,
    explained: "Cada crédito, del más reciente al más antiguo: para qué fue, quién lo hizo y cuánto quedó.",
    when: "Cuándo",
    what: "Qué",
    change: "Créditos",
    left: "Saldo",
    granted: "Concedidos con la venta",
    brought: "Llegaron con la importación",
    used: (session: string) => `Usado: ${session}`,
    returned: (session: string) => `Devuelto: ${session}`,
    kept: (session: string) => `No devuelto: ${session}`,
    adjusted: "Ajuste",
    inTime: "cancelado sin pérdida",
    late: "cancelado fuera de plazo",
    byStudio: "la clase no tuvo lugar",
    released: "el contrato ya no la cubría",
    uncovered: "cubierto después",
    fromLine: "de la lista de espera",
    by: (name: string) => `por ${name}`,
    import: "una importación",
    operator: "el operador",
    first: (shown: string, total: string) => `Los ${shown} más recientes de ${total}.`,
  },
);

/** Every change of the credits of a contract, with who did it: what settles a dispute in one look. */
export function CreditStatement({
  contract,
  onClose,
}: {
  readonly contract: ListedContract;
  readonly onClose: () => void;
}) {
  const t = words();
  const statement = useRead("/app/v1/contracts/{id}/credits", { params: { id: contract.id } });
  const balances = contract.entitlements.filter(({ type }) => type === "credits");
  return (
    <Dialog kind="side" title={t.title(contract.planName)} onClose={onClose}>
      <div class="stack">
        <p class="soft">{t.explained}</p>
        <Shown reading={statement} lines={6}>
          {({ data, total }) => (
            <>
              {balances.map((grant) => {
                const scope = scopeInWords(grant, namesIn(grant));
                return (
                  <section key={grant.id} class="stack">
                    {balances.length > 1 && <h3>{scope}</h3>}
                    <Lines
                      caption={scope}
                      lines={data.filter(({ entitlementId }) => entitlementId === grant.id)}
                    />
                  </section>
                );
              })}
              {total > data.length && <p class="soft">{t.first(count(data.length), count(total))}</p>}
            </>
          )}
        </Shown>
      </div>
    </Dialog>
  );
}

function Lines({ caption, lines }: { readonly caption: string; readonly lines: readonly Line[] }) {
  const t = words();
  const { timezone } = useMe().organization;
  const columns: readonly Column<Line>[] = [
    {
      title: t.when,
      cell: ({ at }) => {
        const local = localIn(at, timezone);
        return (
          <>
            {fullDate(local)} <span class="soft">{timeOf(local)}</span>
          </>
        );
      },
    },
    {
      title: t.what,
      cell: (line) => {
        const more = [causeOf(line), line.reason, whoOf(line)].filter((part) => part !== undefined);
        return (
          <>
            {sentenceOf(line)}
            {more.length > 0 && <div class="soft">{more.map(isolate).join(" · ")}</div>}
          </>
        );
      },
    },
    { title: t.change, isNumber: true, cell: ({ credits }) => signed(credits) },
    { title: t.left, isNumber: true, cell: ({ balance }) => <strong>{count(balance)}</strong> },
  ];
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={lines}
      keyOf={({ at, event, sessionId }) => `${at} ${event} ${sessionId}`}
    />
  );
}

/** With a real minus, under which the digits stand as under a plus. */
const signed = (credits: number) =>
  credits > 0 ? `+${count(credits)}` : credits < 0 ? `−${count(-credits)}` : "0";

function sentenceOf({ event, actor, serviceTypeName = "", localStart = "" }: Line): string {
  const t = words();
  if (event === "granted") return actor === undefined ? t.brought : t.granted;
  if (event === "adjusted") return t.adjusted;
  const session = `${serviceTypeName}, ${fullDate(localStart)} ${timeOf(localStart)}`;
  return event === "used" ? t.used(session) : event === "kept" ? t.kept(session) : t.returned(session);
}

/** What the operation says of why, where that is not plain. */
function causeOf({ event, action }: Line): string | undefined {
  const t = words();
  if (event === "kept") return t.late;
  if (event === "used")
    return action === "coverBooking" ? t.uncovered : action === "promoteWaiting" ? t.fromLine : undefined;
  if (event !== "returned" || action === undefined) return undefined;
  if (/^(cancelBooking|(end|move)FixedPlace)$/.test(action)) return t.inTime;
  return /Contract$|^setEndDate$/.test(action) ? t.released : t.byStudio;
}

function whoOf({ actor, actorName }: Line): string | undefined {
  if (actor === undefined) return undefined;
  const t = words();
  return t.by(actorName ?? (actor === "import" ? t.import : t.operator));
}
