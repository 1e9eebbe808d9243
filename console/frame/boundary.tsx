import { Component, type ComponentChildren } from "preact";
import { Button } from "../parts/button.tsx";
import { MissingPage } from "../parts/page.tsx";
import { frameWords } from "./words.ts";

interface BoundaryProps {
  readonly children: ComponentChildren;
}

/** What cannot be drawn is a page that says so and can be left, instead of nothing. It is drawn again for another `key`. */
export class Boundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  override componentDidCatch(error: unknown): void {
    reportError(error);
    this.setState({ hasFailed: true });
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    const t = frameWords();
    return (
      <MissingPage title={t.broken}>
        <Button onClick={() => this.setState({ hasFailed: false })}>{t.again}</Button>{" "}
        <Button href="/console/">{t.toToday}</Button>
      </MissingPage>
    );
  }
}
