import { useRead } from "../../api/reads.ts";
import { nameFromText, nameOf, textOfName } from "../../booking/session-name.ts";
import { SessionPanel } from "../../booking/session-panel.tsx";
import { route, setQuery } from "../../frame/router.ts";
import { frameWords } from "../../frame/words.ts";
import { timeOf } from "../../languages/format.ts";
import { Page, Shown } from "../../parts/page.tsx";
import "./today.css";

export default function TodayScreen() {
  const today = useRead("/app/v1/today");
  const opened = nameFromText(route.value.query.get("session"));
  return (
    <Page title={frameWords().screens.today}>
      <Shown reading={today}>
        {({ sessions }) => (
          <ul class="stack">
            {sessions.map(({ session }) => (
              <li key={session.startAt + session.scheduleId}>
                <button
                  type="button"
                  onClick={() => setQuery({ session: textOfName(nameOf(session)) }, { replace: false })}
                >
                  {timeOf(session.localStart)} {session.serviceTypeName}
                </button>
              </li>
            ))}
          </ul>
        )}
      </Shown>
      {opened && <SessionPanel session={opened} onClose={() => setQuery({ session: undefined })} />}
    </Page>
  );
}
