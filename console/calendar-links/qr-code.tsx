import { encode } from "uqr";

/** A text to be scanned: dark on light in every look, since not every camera reads it the other way round. */
export function QrCode({ label, text }: { readonly label: string; readonly text: string }) {
  const { data, size } = encode(text, { ecc: "M", border: 4 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr-code" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join("")} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
