import { attackFamilies } from './attacks/index.ts';
import { describeAttacks } from './describe-attacks.ts';

const oneOfEach = attackFamilies.map(({ name, attacks }) => ({ name, attacks: attacks.slice(0, 1) }));

describeAttacks(oneOfEach, 500);
