import { readSettingsPrices } from './settings-prices.js';

describe('prices in the settings', () => {
  it('are absent if nothing is set', () => {
    expect(readSettingsPrices({})).toEqual({ plain: [], signer: null, dated: [] });
    expect(readSettingsPrices({ layer: 'celestia' })).toEqual({ plain: [], signer: null, dated: [] });
  });

  it('are plain ones, in the form that earlier versions recorded too', () => {
    expect(readSettingsPrices({ layer: 'celestia', gasPrice: '0.004' }).plain).toEqual([
      { effectiveFrom: null, subject: 'GAS_PRICE', value: { utia: '0.004' } },
    ]);
    expect(readSettingsPrices({ fiatUnit: 'EUR', fiatPerTia: '1.23', signer: 'true' }).plain).toEqual([
      { effectiveFrom: null, subject: 'FIAT_RATE', value: { unit: 'EUR', perTia: '1.23' } },
    ]);
    expect(readSettingsPrices({ signer: 'true' })).toMatchObject({ plain: [], signer: true });
  });

  it('are dated ones, each of which leaves unnamed values unchanged', () => {
    const prices = JSON.stringify([
      { from: '2026-01-01T00:00:00.000Z', gasPrice: '0.002', gasPerBlob: '900' },
      { from: '2026-02-01T00:00:00.000Z', fiat: { unit: 'EUR', perTia: '2' } },
      { from: '2026-03-01T00:00:00.000Z', fixedGas: '80000' },
    ]);
    const { dated } = readSettingsPrices({ signer: 'true', prices });
    expect(dated.map(({ effectiveFrom, value }) => [effectiveFrom?.slice(5, 7), value])).toEqual([
      ['01', { utia: '0.002' }],
      ['01', { gasPerShareByte: '8', gasPerBlob: '900', fixedGas: '75000', signer: true }],
      ['02', { unit: 'EUR', perTia: '2' }],
      ['03', { gasPerShareByte: '8', gasPerBlob: '900', fixedGas: '80000', signer: true }],
    ]);
  });

  it.each(['', '{', '7', '[7, null, {"gasPrice": "1"}]'])('are absent in %j', (prices) => {
    expect(readSettingsPrices({ prices }).dated).toEqual([]);
  });
});
