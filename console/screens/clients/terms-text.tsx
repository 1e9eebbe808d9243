/** Terms to read; a long text is scrolled through by keyboard too. */
export function TermsText({ label, text }: { readonly label: string; readonly text: string }) {
  return <textarea class="input contract-terms-text" aria-label={label} rows={8} readOnly value={text} />;
}
