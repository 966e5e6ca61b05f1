import { describeTurnMachine } from './describe-turn-machine.ts';

describeTurnMachine(150);
