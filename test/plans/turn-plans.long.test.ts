import { describePlans } from './describe-plans.ts';

describePlans(100_000);
