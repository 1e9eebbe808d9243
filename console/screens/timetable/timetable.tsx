import { frameWords } from "../../frame/words.ts";
import { Page } from "../../parts/page.tsx";
import "./timetable.css";

export default function TimetableScreen() {
  return <Page title={frameWords().screens.timetable}>{null}</Page>;
}
