import { expect, test } from '@jest/globals';
import { RouterProvider } from '@tanstack/react-router';
import { render, screen } from '@testing-library/react';
import { createConsoleRouter } from './routes.tsx';

test('the first page has a heading', async () => {
  render(<RouterProvider router={createConsoleRouter()} />);
  expect((await screen.findByRole('heading', { level: 1 })).textContent).toBe('Everturn');
});
