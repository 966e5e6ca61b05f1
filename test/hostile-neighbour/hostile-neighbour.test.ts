import { attackFamilies } from './attacks/index.ts';
import { describeAttacks } from './describe-attacks.ts';

/** One attack each on the worker's computing, on its calls of models, on sockets and streams, and on the api. */
const FAMILIES = ['calculations', 'provider streams', 'connections', 'requests'];

const chosen = attackFamilies.filter(({ name }) => FAMILIES.includes(name));
const oneOfEach = chosen.map(({ name, attacks }) => ({ name, attacks: attacks.slice(0, 1) }));

describeAttacks(oneOfEach, 500);
