process.send?.({ type: 'ready' })
