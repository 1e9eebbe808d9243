import type { ComponentChildren } from "preact";
import { useFocus } from "./focus.ts";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly icon?: IconName;
  /** `main` for the one thing a screen is for, `danger` for what hurts. */
  readonly kind?: "main" | "plain" | "quiet" | "danger";
  readonly isSmall?: boolean;
  readonly isBusy?: boolean;
  readonly isDisabled?: boolean;
  readonly isSubmit?: boolean;
  /** Has the focus when it appears: Enter presses it. */
  readonly hasFocus?: boolean;
  readonly onClick?: (event: MouseEvent) => void;
  /** Makes it a link that looks like a button. */
  readonly href?: string;
  readonly [data: `data-${string}`]: string | undefined;
  readonly "aria-expanded"?: boolean;
  readonly "aria-haspopup"?: "menu" | "dialog";
}

export function Button({
  children,
  icon,
  kind = "plain",
  isSmall,
  isBusy,
  isDisabled,
  isSubmit,
  hasFocus,
  onClick,
  href,
  ...rest
}: ButtonProps) {
  const element = useFocus<HTMLButtonElement>(hasFocus);
  const className = `button button-${kind}${isSmall ? " button-small" : ""}`;
  const content = (
    <>
      {icon && <Icon name={icon} size={isSmall ? 16 : 18} />}
      <span>{children}</span>
    </>
  );
  if (href !== undefined)
    return (
      <a class={className} href={href} {...rest}>
        {content}
      </a>
    );
  return (
    <button
      ref={element}
      type={isSubmit ? "submit" : "button"}
      class={className}
      disabled={isDisabled}
      autofocus={hasFocus}
      aria-busy={isBusy}
      onClick={onClick}
      {...rest}
    >
      {content}
    </button>
  );
}

/** A button that shows an icon alone; `label` is what it is called. */
export function IconButton({
  icon,
  label,
  onClick,
  isPressed,
  isDisabled,
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: (event: MouseEvent) => void;
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
}) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      disabled={isDisabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
