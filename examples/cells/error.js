// A tool that fails rejects the promise of its call with the gateway's text, and the cell can go on.
try {
  await tools.charge({ amount: 500 });
} catch (error) {
  text(`refused: ${error.message}`);
}
return await tools.charge({ amount: 50 });
