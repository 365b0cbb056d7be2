import { Command } from 'commander';
import { durationOption } from './duration-option.js';

function read(...args: string[]): unknown {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  command.addOption(durationOption('--block-time', 'time between two blocks', '1s'));
  return command.parse(args, { from: 'user' }).opts()['blockTime'];
}

describe('a duration of the command line', () => {
  it.each([
    ['500', 500],
    ['500ms', 500],
    ['0.5s', 500],
    ['10', 10],
    ['2m', 120_000],
  ])('%s is %d ms', (text, ms) => {
    expect(read('--block-time', text)).toBe(ms);
  });

  it('has a default', () => {
    expect(read()).toBe(1_000);
  });

  it.each(['9', '-1', '5 apples', ''])('is not %j', (text) => {
    expect(() => read('--block-time', text)).toThrow('at least 10ms');
  });
});
