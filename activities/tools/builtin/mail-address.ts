import { z } from 'zod';

/** The schema of one mail address, without a name: neither a second address nor another line fits into it. */
export const mailAddress = z
  .string()
  .min(3)
  .max(320)
  .regex(/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/, 'must be a mail address');
