import { frameWords } from "../../frame/words.ts";
import { Page } from "../../parts/page.tsx";
import "./today.css";

export default function TodayScreen() {
  return <Page title={frameWords().screens.today}>{null}</Page>;
}
