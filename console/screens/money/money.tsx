import { useMe } from "../../frame/me.ts";
import { frameWords } from "../../frame/words.ts";
import { localIn } from "../../languages/format.ts";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { route } from "../../routing/router.ts";
import { IncomePart } from "./income.tsx";
import { InvoicesPart } from "./invoices.tsx";
import { OwedPart } from "./owed.tsx";
import { PaymentsPart } from "./payments.tsx";
import { words } from "./words.ts";
import "./money.css";

const PARTS = { owed: OwedPart, payments: PaymentsPart, invoices: InvoicesPart, income: IncomePart } as const;
type Part = keyof typeof PARTS;
const NAMES = Object.keys(PARTS) as Part[];

/** `/console/money` is what is owed; below it `payments`, `invoices` and `income`. */
export default function MoneyScreen() {
  const t = words();
  const { organization } = useMe();
  const part = NAMES.find((name) => name === route.value.rest[0]) ?? "owed";
  const Shown = PARTS[part];
  const today = localIn(Date.now(), organization.timezone).slice(0, 10);
  return (
    <Page title={frameWords().screens.money}>
      <Tabs
        label={t.parts}
        current={part}
        tabs={NAMES.map((name) => ({
          name,
          label: t.tabs[name],
          href: name === "owed" ? "/console/money" : `/console/money/${name}`,
        }))}
      />
      <Shown today={today} currency={organization.currency} />
    </Page>
  );
}
