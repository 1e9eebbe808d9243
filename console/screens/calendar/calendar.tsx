import { frameWords } from "../../frame/words.ts";
import { Page } from "../../parts/page.tsx";
import "./calendar.css";

export default function CalendarScreen() {
  return <Page title={frameWords().screens.calendar}>{null}</Page>;
}
