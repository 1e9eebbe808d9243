import { useEffect, useState } from "preact/hooks";
import { useRead } from "../api/reads.ts";
import { useMe } from "../frame/me.ts";
import { dayWindow } from "../languages/day-window.ts";
import { localIn, longDate, timeOf } from "../languages/format.ts";
import { Button } from "../parts/button.tsx";
import { Actions } from "../parts/dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Badge } from "../parts/notice.tsx";
import { Page, Skeleton } from "../parts/page.tsx";
import { go } from "../routing/router.ts";
import { textOfName } from "../routing/session-name.ts";
import { ClassStep } from "./class-step.tsx";
import { LocationStep } from "./location-step.tsx";
import { MoneyStep } from "./money-step.tsx";
import { PeopleStep } from "./people-step.tsx";
import { recall, remember, STEPS, type Step, useProgress } from "./progress.ts";
import { ServiceStep } from "./service-step.tsx";
import { words } from "./words.ts";

/** What a step cannot do without: a class has a place and a service, and people belong to a place. */
const NEEDS: Readonly<Record<Step, readonly Step[]>> = {
  location: [],
  service: [],
  class: ["location", "service"],
  people: ["location"],
  money: [],
};

const FORMS = {
  location: LocationStep,
  service: ServiceStep,
  class: ClassStep,
  people: PeopleStep,
  money: MoneyStep,
} as const;

/** The steps below each other: the first that is open has its form, the others say how they stand. */
export function Walk() {
  const t = words();
  const { organization } = useMe();
  const memory = recall(organization.id);
  const progress = useProgress();
  const [chosen, setChosen] = useState<Step>();
  const [kept, setKept] = useState<Step>();
  const goOn = () => {
    setChosen(undefined);
    setKept(undefined);
  };
  useEffect(() => {
    if (!memory.isBegun) remember(organization.id, { isBegun: true });
  }, [memory.isBegun, organization.id]);
  const skip = (step: Step) => {
    goOn();
    remember(organization.id, { skipped: [...new Set([...memory.skipped, step])] });
  };
  const leave = () => remember(organization.id, { isOver: true });
  if (!progress) return null;
  const open = STEPS.find((step) => !progress[step] && !memory.skipped.includes(step));
  const current = kept ?? (chosen !== undefined && !progress[chosen] ? chosen : open);
  return (
    <Page
      title={t.title(organization.name)}
      subtitle={t.text}
      actions={
        current && (
          <Button kind="quiet" onClick={leave}>
            {t.later}
          </Button>
        )
      }
    >
      <ol class="first-steps" aria-label={t.steps}>
        {STEPS.map((step, place) => {
          const Form = FORMS[step];
          const isCurrent = step === current;
          return (
            <li key={step} class={isCurrent ? "card first-step first-step-open" : "card first-step"}>
              <header class="section-head">
                <h2>
                  {progress[step] && !isCurrent && <Icon name="check" />}{" "}
                  {isCurrent || progress[step] ? (
                    t.step(place + 1, t.titles[step])
                  ) : (
                    <button type="button" class="first-step-title" onClick={() => setChosen(step)}>
                      {t.step(place + 1, t.titles[step])}
                    </button>
                  )}
                </h2>
                {progress[step] && !isCurrent ? (
                  <Badge tone="good">{t.done}</Badge>
                ) : (
                  !isCurrent && memory.skipped.includes(step) && <Badge>{t.skipped}</Badge>
                )}
              </header>
              {isCurrent &&
                (NEEDS[step].every((other) => progress[other]) ? (
                  <Form onSkip={() => skip(step)} onDone={goOn} onKeep={() => setKept(step)} />
                ) : (
                  <Missing
                    steps={NEEDS[step].filter((other) => !progress[other])}
                    onChoose={setChosen}
                    onSkip={() => skip(step)}
                  />
                ))}
            </li>
          );
        })}
      </ol>
      {current === undefined && <Ready onLeave={leave} />}
    </Page>
  );
}

/** A step that waits for others which were skipped, with the way to them. */
function Missing({
  steps,
  onChoose,
  onSkip,
}: {
  readonly steps: readonly Step[];
  readonly onChoose: (step: Step) => void;
  readonly onSkip: () => void;
}) {
  const t = words();
  return (
    <div class="stack">
      <p class="soft">{t.missing}</p>
      <Actions>
        {steps.map((step) => (
          <Button key={step} onClick={() => onChoose(step)}>
            {t.titles[step]}
          </Button>
        ))}
        <Button kind="quiet" onClick={onSkip}>
          {t.skip}
        </Button>
      </Actions>
    </div>
  );
}

/** How far ahead the first class is looked for. */
const DAYS_AHEAD = 31;

/** The end of the way: the next class, to put people into, and what else one could do. */
function Ready({ onLeave }: { readonly onLeave: () => void }) {
  const t = words();
  const { organization } = useMe();
  const today = localIn(Date.now(), organization.timezone).slice(0, 10);
  const calendar = useRead("/app/v1/calendar", {
    query: dayWindow(today, DAYS_AHEAD, organization.timezone),
  });
  if (!calendar.data) return <Skeleton lines={3} />;
  const now = Date.now();
  const next = calendar.data.data.find(
    ({ status, startAt }) => status === "scheduled" && Date.parse(startAt) > now,
  );
  const leaveTo = (address: string) => {
    onLeave();
    void go(address);
  };
  return (
    <section class="card stack first-ready">
      <h2>{t.readyTitle}</h2>
      <p>{next ? t.readyText : t.readyTextBare}</p>
      {next?.localStart && (
        <p>
          <strong>
            {t.next(next.serviceTypeName ?? "", `${longDate(next.localStart)} ${timeOf(next.localStart)}`)}
          </strong>
        </p>
      )}
      <Actions>
        {next && (
          <Button
            kind="main"
            icon="users"
            onClick={() =>
              leaveTo(
                `/console/?session=${encodeURIComponent(
                  textOfName(
                    next.id === undefined
                      ? { scheduleId: next.scheduleId ?? "", originalStart: next.originalStart ?? "" }
                      : { sessionId: next.id },
                  ),
                )}`,
              )
            }
          >
            {t.putIn}
          </Button>
        )}
        <Button icon="ticket" onClick={() => leaveTo("/console/catalog/plans/new")}>
          {t.plan}
        </Button>
        <Button {...(!next && { kind: "main" as const })} onClick={onLeave}>
          {t.toToday}
        </Button>
      </Actions>
    </section>
  );
}
