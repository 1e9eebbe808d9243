// Fetched together: whoever writes a date is likely to write a time.
export { DateField } from "./typed-date-field.tsx";
export { TimeField } from "./typed-time-field.tsx";
