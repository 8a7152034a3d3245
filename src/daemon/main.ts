console.log('mcpd')
