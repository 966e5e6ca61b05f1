import { describeFuzz } from './describe-fuzz.ts';

describeFuzz({ minutes: Number(process.env['EVERTURN_FUZZ_MINUTES'] ?? 60) });
