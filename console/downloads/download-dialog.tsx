import { useState } from "preact/hooks";
import { downloadList, type FileForm } from "../api/downloads.ts";
import { ConnectionLost, Problem } from "../api/problem.ts";
import { showToast } from "../api/toasts.ts";
import { toProblem } from "../api/unexpected.ts";
import { addDays, isDate } from "../languages/days.ts";
import { dictionary, language } from "../languages/words.ts";
import { Button } from "../parts/button.tsx";
import { DateField } from "../parts/date-field.tsx";
import { Actions, Dialog } from "../parts/dialog.tsx";
import { ChoiceField, SelectField } from "../parts/field.tsx";
import { ProblemNotice } from "../parts/notice.tsx";

const words = dictionary(
  {
    title: "Download",
    what: "What",
    lists: {
      clients: "Clients",
      contracts: "Contracts",
      visits: "Visits",
      sales: "Sales",
      attendance: "Attendance by class",
    },
    explained: {
      clients: "All clients, also archived ones, with contact and document.",
      contracts: "All contracts, with the name of the client.",
      visits: "Every booking of classes on these days, and what became of it.",
      sales: "What was sold on these days, and by whom.",
      attendance:
        "Each class of these days with how many came. Classes that nobody was booked into are left out.",
    },
    from: "From",
    to: "Until",
    form: "For",
    forms: { excel: "Excel and other spreadsheets here", csv: "Other programs (CSV with commas)" },
    audited: "That you took it is in the history.",
    download: "Download",
    close: "Back",
    done: "The file was saved.",
    reversed: "This is before the first day.",
    lost: "The connection was lost, and nothing was saved. Try again.",
  },
  {
    title: "Baixar",
    what: "O quê",
    lists: {
      clients: "Clientes",
      contracts: "Contratos",
      visits: "Visitas",
      sales: "Vendas",
      attendance: "Presença por aula",
    },
    explained: {
      clients: "Todos os clientes, também os arquivados, com contato e documento.",
      contracts: "Todos os contratos, com o nome do cliente.",
      visits: "Cada agendamento de aulas destes dias e o que aconteceu com ele.",
      sales: "O que foi vendido nestes dias e por quem.",
      attendance: "Cada aula destes dias, com quantos vieram. Aulas sem nenhum agendamento ficam de fora.",
    },
    from: "De",
    to: "Até",
    form: "Para",
    forms: { excel: "Excel e planilhas daqui", csv: "Outros programas (CSV com vírgulas)" },
    audited: "Que você baixou fica no histórico.",
    download: "Baixar",
    close: "Voltar",
    done: "O arquivo foi salvo.",
    reversed: "É antes do primeiro dia.",
    lost: "A conexão caiu e nada foi salvo. Tente de novo.",
  },
  {
    title: "Descargar",
    what: "Qué",
    lists: {
      clients: "Clientes",
      contracts: "Contratos",
      visits: "Visitas",
      sales: "Ventas",
      attendance: "Asistencia por clase",
    },
    explained: {
      clients: "Todos los clientes, también los archivados, con contacto y documento.",
      contracts: "Todos los contratos, con el nombre del cliente.",
      visits: "Cada reserva de clases de estos días y qué fue de ella.",
      sales: "Lo que se vendió en estos días y quién lo vendió.",
      attendance: "Cada clase de estos días, con cuántos vinieron. Las clases sin ninguna reserva se omiten.",
    },
    from: "Desde",
    to: "Hasta",
    form: "Para",
    forms: { excel: "Excel y hojas de cálculo de aquí", csv: "Otros programas (CSV con comas)" },
    audited: "Que usted lo descargó queda en el historial.",
    download: "Descargar",
    close: "Volver",
    done: "El archivo se guardó.",
    reversed: "Es antes del primer día.",
    lost: "Se perdió la conexión y no se guardó nada. Inténtelo de nuevo.",
  },
);

export type DownloadName = "clients" | "contracts" | "visits" | "sales" | "attendance";
const NAMES: readonly DownloadName[] = ["clients", "contracts", "visits", "sales", "attendance"];
/** Lists that are of some days. */
const isByDays = (name: DownloadName) => name !== "clients" && name !== "contracts";

/** So many days are proposed. */
const DAYS = 30;

/** Lists as files: which one, of which days, and for what program. */
export function DownloadDialog({
  first,
  today,
  onClose,
}: {
  /** What is chosen when it opens. */
  readonly first: DownloadName;
  readonly today: string;
  readonly onClose: () => void;
}) {
  const t = words();
  const [name, setName] = useState(first);
  const [from, setFrom] = useState(addDays(today, 1 - DAYS));
  const [to, setTo] = useState(today);
  // Where the comma is decimal, a file with commas opens in one column.
  const [form, setForm] = useState<"excel" | "csv">(language.value === "en" ? "csv" : "excel");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const isReversed = to < from;
  const isReady = !isByDays(name) || (isDate(from) && isDate(to) && !isReversed);
  const take = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await takeList(name, { from, until: to }, form, `${name}-${today}`);
      showToast(t.done);
      onClose();
    } catch (error) {
      const isLost = error instanceof ConnectionLost;
      setProblem(isLost ? new Problem({ title: t.lost, status: 0 }) : toProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={t.title} onClose={onClose}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !isBusy) void take();
        }}
      >
        <SelectField
          label={t.what}
          hint={t.explained[name]}
          value={name}
          choices={NAMES.map((value) => ({ value, label: t.lists[value] }))}
          onChoose={setName}
        />
        {isByDays(name) && (
          <div class="columns">
            <DateField label={t.from} value={from} onInput={setFrom} />
            <DateField label={t.to} value={to} onInput={setTo} fault={isReversed ? t.reversed : undefined} />
          </div>
        )}
        <ChoiceField
          label={t.form}
          value={form}
          choices={(["excel", "csv"] as const).map((value) => ({ value, label: t.forms[value] }))}
          onChoose={setForm}
        />
        <p class="soft">{t.audited}</p>
        <ProblemNotice problem={problem} />
        <Actions>
          <Button kind="main" icon="download" isSubmit isBusy={isBusy} isDisabled={!isReady}>
            {t.download}
          </Button>
          <Button onClick={onClose}>{t.close}</Button>
        </Actions>
      </form>
    </Dialog>
  );
}

function takeList(
  name: DownloadName,
  days: { readonly from: string; readonly until: string },
  form: FileForm,
  file: string,
): Promise<void> {
  if (name === "clients") return downloadList("/app/v1/clients", {}, form, file);
  if (name === "contracts") return downloadList("/app/v1/contracts", { include: "names" }, form, file);
  return downloadList(`/app/v1/reports/${name}`, days, form, file);
}
