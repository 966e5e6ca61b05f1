import { z } from 'zod';
import { MAIL_ADDRESS } from '../../../domain/network/index.ts';

/** The schema of one mail address, without a name. */
export const mailAddress = z.string().min(3).max(320).regex(MAIL_ADDRESS, 'must be a mail address');
