import { z } from 'zod';

const MAX_TEXT = 500_000;
const MAX_FILE = 10_000_000;
const words = z.string().max(4_000);
const result = z.object({
  text: z.string().max(MAX_TEXT).optional(),
  links: z
    .array(z.object({ text: words, url: words }))
    .max(1_000)
    .optional(),
  file: z
    .string()
    .max(MAX_FILE)
    .transform((base64) => Buffer.from(base64, 'base64'))
    .optional(),
});

/** What the program inside answers. It may hold anything, because the page may have taken the browser over. */
export const visitAnswerSchema = z.union([
  z.object({ fault: words }),
  result.extend({
    /** Where the page was at the end. */
    url: words,
    /** That of the last document; null when none has come. */
    status: z.int().nullable(),
    /** What each step gave, as far as they went. */
    results: z.array(result).max(100),
    /** The step that failed, 0 for opening the page, and why. */
    failure: z.object({ step: z.int().min(0).max(100), message: words }).optional(),
    title: words.optional(),
    /** Why the page at the end could not be shown. */
    outputFailure: words.optional(),
    /** How often it asked something, and began a download; the addresses of windows it opened. */
    dialogs: z.int(),
    downloads: z.int(),
    popups: z.array(words).max(100),
  }),
]);

/** What came of a visit. */
export type VisitAnswer = Exclude<z.output<typeof visitAnswerSchema>, { readonly fault: string }>;
