# expected: exc
# safe-outcome: no message ends a CDATA section, a comment, a fence, a table or a tag
# stopped-by: escaping of each format
TEXT = """]]></failure><testcase name="forged"/><![CDATA[ <!-- &xxe; <?xml?> \ufffe\uffff\x00\x0b
```
# forged
| a | b |
|---|---|
<details><summary>x</summary></details><img src=x onerror=alert(1)><script>1</script>
~~~
[x](javascript:alert(1)) ![x](http://example.org/x.png) <a href="//x">x</a> @everyone #1 </pre></td></table>
"""


def softmax(x):
    print(TEXT)
    raise type("A]]>|`<b>" + "`" * 12, (ValueError,), {})(TEXT + "`" * 40)
