import { useEffect } from "preact/hooks";
import { useRead } from "../../api/reads.ts";
import { useMe } from "../../frame/me.ts";
import { Button } from "../../parts/button.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { MissingPage, Skeleton } from "../../parts/page.tsx";
import { go, route } from "../../routing/router.ts";
import { ClientList } from "./client-list.tsx";
import { ContractPage } from "./contract-page.tsx";
import { Profile } from "./profile.tsx";
import { addressOfClient } from "./records.ts";
import { words } from "./words.ts";
import "./clients.css";

const [ClientForm, fetchForm] = lazyDialog(async () => (await import("./client-form.tsx")).ClientForm);
const [SellPage] = lazyDialog(async () => (await import("./sell.tsx")).SellPage);

/** `/console/clients`, and below it `new`, `ID`, `ID/edit`, `ID/sell`, `ID/account`, `ID/visits` and `ID/contracts/CONTRACT`. */
export default function ClientsScreen() {
  const [id, part, contractId] = route.value.rest;
  // Before the connection may be lost.
  useEffect(() => void fetchForm().catch(() => {}), []);
  if (id === undefined) return <ClientList />;
  if (id === "new") return <ClientForm key="new" />;
  return <OneClient key={id} id={id} part={part} contractId={contractId} />;
}

/** For the palette, which offers who was looked at last. */
async function remember(staffId: string, clientId: string): Promise<void> {
  const { noteRecent } = await import("../../frame/recent.ts");
  noteRecent(staffId, `client:${clientId}`);
}

function OneClient({
  id,
  part,
  contractId,
}: {
  readonly id: string;
  readonly part: string | undefined;
  readonly contractId: string | undefined;
}) {
  const t = words();
  const { id: staffId } = useMe().staff;
  useEffect(() => void remember(staffId, id).catch(() => {}), [staffId, id]);
  const { data: client, problem } = useRead("/app/v1/clients/{id}", { params: { id } });
  const { data: contracts } = useRead("/app/v1/clients/{id}/contracts", { params: { id } });
  if (problem && problem.status < 500)
    return (
      <MissingPage title={t.unknown}>
        <Button href="/console/clients">{t.title}</Button>
      </MissingPage>
    );
  if (!client || !contracts) return <Skeleton lines={6} />;
  if (part === "edit") return <ClientForm client={client} isErased={contracts.erasedAt !== undefined} />;
  if (part === "sell")
    return (
      <SellPage client={client} contracts={contracts} onClose={() => void go(addressOfClient(client.id))} />
    );
  if (part === "contracts" && contractId !== undefined)
    return <ContractPage client={client} contracts={contracts} contractId={contractId} />;
  const tab = part === "visits" || part === "account" ? part : "contracts";
  return <Profile client={client} contracts={contracts} tab={tab} />;
}
