console.log('mcp')
