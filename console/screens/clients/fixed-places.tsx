import { useState } from "preact/hooks";
import { useRead } from "../../api/reads.ts";
import { FixedPlaceDialog } from "../../booking/fixed-place.tsx";
import { placesText } from "../../booking/fixed-place-words.ts";
import { fullDate } from "../../languages/format.ts";
import { isolate } from "../../languages/given-text.ts";
import { Icon } from "../../parts/icon.tsx";
import { lazyDialog } from "../../parts/lazy-dialog.tsx";
import { Menu } from "../../parts/menu.tsx";
import type { Client, FixedPlace } from "./records.ts";
import { words } from "./words.ts";

const [EndPlaceDialog] = lazyDialog(async () => (await import("./end-place-dialog.tsx")).EndPlaceDialog);

/** When they come every time: moved and ended as one. */
export function FixedPlaces({ client, today }: { readonly client: Client; readonly today: string }) {
  const t = words();
  const { data: places } = useRead("/app/v1/clients/{id}/fixed-places", { params: { id: client.id } });
  const [asked, setAsked] = useState<{ what: "move" | "end"; place: FixedPlace }>();
  const close = () => setAsked(undefined);
  if (!places || places.data.length === 0) return null;
  return (
    <section class="card" aria-label={t.fixedPlaces}>
      <h2 class="contract-title">{t.fixedPlaces}</h2>
      <ul>
        {places.data.map((place) => (
          <li key={place.id} class="fixed-place">
            <p>
              <Icon name="repeat" /> <strong>{isolate(placesText(place.places))}</strong>{" "}
              <span class="soft">{t.placeUntil(fullDate(place.lastDay), place.visits)}</span>
            </p>
            <Menu
              label={t.placeActions}
              items={[
                ...(client.status === "active"
                  ? [
                      {
                        label: t.movePlace,
                        icon: "swap" as const,
                        onChoose: () => setAsked({ what: "move", place }),
                      },
                    ]
                  : []),
                {
                  label: t.endPlace,
                  icon: "close",
                  isDangerous: true,
                  onChoose: () => setAsked({ what: "end", place }),
                },
              ]}
            />
          </li>
        ))}
      </ul>
      {asked?.what === "move" && (
        <FixedPlaceDialog
          client={client}
          today={today}
          chosen={chosenOf(asked.place)}
          moved={asked.place}
          onClose={close}
        />
      )}
      {asked?.what === "end" && <EndPlaceDialog place={asked.place} today={today} onClose={close} />}
    </section>
  );
}

/** What stays ticked unless somebody changes it. */
const chosenOf = ({ places }: FixedPlace) =>
  places.flatMap(({ scheduleId, weekday }) => (scheduleId === undefined ? [] : [{ scheduleId, weekday }]));
