import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/notice.tsx";
import { ContractCard } from "./contract-card.tsx";
import { contractWords } from "./contract-words.ts";
import { addressOfClient, type Client, type ClientContracts, isRunning } from "./records.ts";

/** The contracts of a client: those that run, and the others folded away. */
export function ContractList({
  client,
  contracts: { data, today },
}: {
  readonly client: Client;
  readonly contracts: ClientContracts;
}) {
  const t = contractWords();
  const running = data.filter(isRunning);
  const past = data.filter((contract) => !isRunning(contract));
  if (running.length === 0 && past.length === 0)
    return (
      <Empty
        icon="ticket"
        title={t.none}
        action={
          client.status === "active" && (
            <Button kind="main" icon="ticket" href={addressOfClient(client.id, "sell")}>
              {t.sell}
            </Button>
          )
        }
      >
        {t.noneText}
      </Empty>
    );
  return (
    <div class="stack">
      {running.map((contract) => (
        <ContractCard key={contract.id} contract={contract} today={today} />
      ))}
      {past.length > 0 && (
        <details class="contract-past" open={running.length === 0}>
          <summary>{t.past(past.length)}</summary>
          <div class="stack">
            {past.map((contract) => (
              <ContractCard key={contract.id} contract={contract} today={today} />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}
