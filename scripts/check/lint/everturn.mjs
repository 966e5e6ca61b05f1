// The linter's own rules.
import { noAssertedTime } from './no-asserted-time.mjs';
import { vocabulary } from './vocabulary.mjs';

export default { meta: { name: 'everturn' }, rules: { 'no-asserted-time': noAssertedTime, vocabulary } };
