import './confinement.test.ts';
