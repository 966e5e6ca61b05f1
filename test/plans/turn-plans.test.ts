import { describePlans } from './describe-plans.ts';

describePlans(10_000);
