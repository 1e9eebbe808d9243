import { frameWords } from "../../frame/words.ts";
import { Page } from "../../parts/page.tsx";
import "./overview.css";

export default function OverviewScreen() {
  return <Page title={frameWords().screens.overview}>{null}</Page>;
}
