import { nameOfClient } from "../../languages/client-name.ts";
import { Button } from "../../parts/button.tsx";
import { MissingPage, Page } from "../../parts/page.tsx";
import { ContractCard } from "./contract-card.tsx";
import { contractWords } from "./contract-words.ts";
import { addressOfClient, type Client, type ClientContracts } from "./records.ts";

/** One contract by itself, with everything that can be done with it. */
export function ContractPage({
  client,
  contracts,
  contractId,
}: {
  readonly client: Client;
  readonly contracts: ClientContracts;
  readonly contractId: string;
}) {
  const t = contractWords();
  const contract = contracts.data.find(({ id }) => id === contractId);
  if (!contract)
    return (
      <MissingPage title={t.unknown}>
        <Button href={addressOfClient(client.id)}>{nameOfClient(client.contactName)}</Button>
      </MissingPage>
    );
  return (
    <Page
      title={contract.planName}
      subtitle={<a href={addressOfClient(client.id)}>{nameOfClient(client.contactName)}</a>}
      actions={
        <Button icon="history" href={`/console/audit?contractId=${contract.id}`}>
          {t.history}
        </Button>
      }
    >
      <ContractCard contract={contract} today={contracts.today} isWhole />
    </Page>
  );
}
