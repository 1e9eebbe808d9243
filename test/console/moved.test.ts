import { type TestContext, test } from "node:test";
import { pooled } from "../../src/db/statements.ts";
import { startConsole, type TestConsole } from "../support/console.ts";
import { newId } from "../support/ids.ts";

const opened = await startConsole();

function withConsole(name: string, run: (console: TestConsole, t: TestContext) => Promise<void>): void {
  test(name, async (t) => (opened ? run(opened, t) : t.skip("no Chromium on this machine")));
}

const leaveStatement = pooled(
  "test_leave",
  `with move as (
     insert into organization_moves (organization_id, id, side, url, target) values ($1, $2, 'source', $3, 'another')
   ), departure as (
     insert into organization_departures (organization_id, move_id) values ($1, $2)
   )
   update organizations set moving = $2 where id = $1`,
);

withConsole(
  "whose organization has moved to another server is told where, by whatever page is opened",
  async (console) => {
    const { id } = await console.api.newOrganization({ name: "Studio that moves" });
    const open = await console.open(id, "/console/clients", { expected: [307], isAlone: true });
    const { page } = open;
    await page.getByRole("heading", { level: 1 }).waitFor();
    await console.api.db.query(leaveStatement, [id, newId(), "https://cell2.example.com"]);
    const told = page.getByText("The organization has moved to https://cell2.example.com. Go on there.");
    await page.goto(`${console.origin}/console/locations`);
    await told.first().waitFor();
    await open.close();
  },
);
