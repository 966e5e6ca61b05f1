import { attackFamilies } from './attacks/index.ts';
import { describeAttacks } from './describe-attacks.ts';

/** One attack each on the worker's computing, on its calls of models, on sockets and streams, and on the api. */
const FAMILIES = ['calculations', 'provider streams', 'connections', 'requests'];

const oneOfEach = FAMILIES.map((wanted) => {
  const family = attackFamilies.find(({ name }) => name === wanted);
  if (family === undefined) throw new Error(`there is no family of attacks named ${wanted}`);
  return { name: wanted, attacks: family.attacks.slice(0, 1) };
});

describeAttacks(oneOfEach, 500);
