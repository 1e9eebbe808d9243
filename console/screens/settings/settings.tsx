import { frameWords } from "../../frame/words.ts";
import { Page } from "../../parts/page.tsx";
import "./settings.css";

export default function SettingsScreen() {
  return <Page title={frameWords().screens.settings}>{null}</Page>;
}
