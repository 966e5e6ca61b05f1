import { z } from 'zod';

/** The name of the integration that a call works with. */
export const integrationParameter = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Name of the integration, where the organization has several of this kind.');
