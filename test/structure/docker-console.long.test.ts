import './docker-console.test.ts';
