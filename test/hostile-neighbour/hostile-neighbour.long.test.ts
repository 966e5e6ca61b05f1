import { attackFamilies } from './attacks/index.ts';
import { describeAttacks } from './describe-attacks.ts';

const SECONDS = 'EVERTURN_HOSTILE_SECONDS';

describeAttacks(attackFamilies, Number(process.env[SECONDS] ?? '2') * 1_000);
