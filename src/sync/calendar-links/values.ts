/** The languages of the one word that a calendar says by itself. */
export const LINK_LANGUAGES = ["en", "pt-BR", "es"] as const;
export type LinkLanguage = (typeof LINK_LANGUAGES)[number];

/** How far a link shows the past and the future unless it is told otherwise, in days. */
export const PAST_DAYS = 31;
export const AHEAD_DAYS = 90;
/** What leaves the window leaves the subscriber's calendar; farther than this nobody looks. */
export const MOST_LINK_DAYS = 366;

/** All that Google Calendar takes of an address. */
export const MOST_ADDRESS_LENGTH = 256;

/** More events make no better calendar: the window then ends sooner. */
export const MOST_EVENTS = 10_000;
